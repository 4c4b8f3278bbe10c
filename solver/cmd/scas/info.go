package main

type infoCmd struct {
	Data string `arg:"" optional:"" name:"DATA"`
	JSON bool   `name:"json"`
}

func (c *infoCmd) Run(e *env) error { return nil }
