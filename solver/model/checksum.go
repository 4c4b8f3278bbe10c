package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
)

// sealed returns a model file, a JSON object, with a last field that says what CRC-32C the
// other fields have: their names and values in order, without blanks between words, so
// that the file may be indented otherwise. Read refuses a file that has another one; one
// without the field is taken as it stands.
func sealed(file []byte) ([]byte, error) {
	sum, err := checksum(file)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(file, '}')
	body := bytes.TrimRight(file[:end], "\n")
	between := ",\n  \"checksum\": "
	if len(body) == end {
		between = `,"checksum":`
	}
	return fmt.Appendf(nil, "%s%s%q%s", body, between, sum, file[len(body):]), nil
}

// checksum returns the checksum of a file, as sealed computes it, whether or not the file states it.
func checksum(file []byte) (string, error) {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	var compact bytes.Buffer
	err := eachField(file, func(name string, value json.RawMessage) error {
		if strings.EqualFold(name, "checksum") {
			return nil
		}
		compact.Reset()
		if err := json.Compact(&compact, value); err != nil {
			return err
		}
		_, err := fmt.Fprintf(h, "%q:%s\n", name, compact.Bytes())
		return err
	})
	return fmt.Sprintf("crc32c:%08x", h.Sum32()), err
}

// checkSealed holds a file to the checksum that it states, nil if it states none.
func checkSealed(file []byte, stated *string) error {
	if stated == nil {
		return nil
	}
	sum, err := checksum(file)
	if err == nil && sum != *stated {
		err = fmt.Errorf("damaged model: what it holds has the checksum %s, and %q is stated%s; if it was changed on purpose, remove its field checksum", sum, *stated, again)
	}
	return err
}

// distinct reports the first field of a JSON object that is there twice.
func distinct(text []byte) error {
	seen := map[string]bool{}
	return eachField(text, func(name string, _ json.RawMessage) error {
		key := strings.ToLower(name) // as fields are matched
		if seen[key] {
			return fmt.Errorf("field %v is there twice", name)
		}
		seen[key] = true
		return nil
	})
}

// eachField calls f with the fields of a JSON object, in order.
func eachField(text []byte, f func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := f(fmt.Sprint(name), value); err != nil {
			return err
		}
	}
	return nil
}
