package kernels

const (
	expMax   = 708.0
	log2E    = 0x1.71547652b82fep+0
	expMagic = 0x1.8p52 + 1023
	ln2Hi    = 0x1.62e42fefa3800p-1
	ln2Lo    = 0x1.ef35793c76730p-45

	exp0 = 0x1.000000000000bp-1
	exp1 = 0x1.5555555555561p-3
	exp2 = 0x1.5555555550039p-5
	exp3 = 0x1.111111110d63cp-7
	exp4 = 0x1.6c16c185a5b38p-10
	exp5 = 0x1.a01a01bae197dp-13
	exp6 = 0x1.a019969778d4bp-16
	exp7 = 0x1.71dddfcd47b9bp-19
	exp8 = 0x1.28b04614baa7bp-22
	exp9 = 0x1.af85858a5c6a8p-26

	log0 = 0x1.555555555554fp-1
	log1 = 0x1.999999999c0f7p-2
	log2 = 0x1.24924921ec0dcp-2
	log3 = 0x1.c71c7488d8a84p-3
	log4 = 0x1.745c4c7afa1adp-3
	log5 = 0x1.3b358bac524dcp-3
	log6 = 0x1.0dcf13e1fdeb0p-3
	log7 = 0x1.1b69eb849b37ep-3
)
