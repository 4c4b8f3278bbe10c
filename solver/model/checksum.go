package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
)

// checksum returns the CRC-32C of the names and values of all fields of a model file except the field
// "checksum". Blanks between JSON tokens do not count, so a file may be indented differently.
func checksum(file []byte) (string, error) {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	var compact bytes.Buffer
	err := eachItem(file, func(name string, value json.RawMessage, _ int) error {
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

// checkSealed returns an error if storedSum, the checksum stored in a model file, is not the checksum of the
// file's content. It returns nil if storedSum is nil: no checksum is stored.
func checkSealed(file []byte, storedSum *string) error {
	if storedSum == nil {
		return nil
	}
	sum, err := checksum(file)
	if err == nil && sum != *storedSum {
		err = fmt.Errorf("damaged model: what it holds has the checksum %s, and %q is stated%s; if it was changed on purpose, remove its field checksum", sum, *storedSum, fetchAgain)
	}
	return err
}

// eachItem calls f for each field of a JSON object, or for each value of a list, in the order of the text,
// until f returns an error. For a value of a list, name is "". offset is the position in text at which the
// value begins.
func eachItem(text []byte, f func(name string, value json.RawMessage, offset int) error) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	start, err := dec.Token()
	if err != nil {
		return err
	}
	for dec.More() {
		var name json.Token = ""
		if start == json.Delim('{') {
			name, err = dec.Token()
			if err != nil {
				return err
			}
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := f(fmt.Sprint(name), value, int(dec.InputOffset())-len(value)); err != nil {
			return err
		}
	}
	return nil
}
