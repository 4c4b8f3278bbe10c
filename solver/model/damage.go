package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

const fetchAgain = "; fetch the file again, or fit the model again"

var useModelFile = sparse.Remedy{To: "give a file that Save, scas train or scas cv wrote"}

// damageError returns the error for text, which encoding/json cannot read as a model because of err.
// The returned error does not name the file.
func damageError(text []byte, err error) error {
	words := bytes.Fields(text[:min(len(text), 1<<10)])
	if len(words) == 0 {
		return &sparse.RemedyError{
			Err:      errors.New("not a model file: it is empty"),
			Remedies: []sparse.Remedy{useModelFile},
		}
	}
	if words[0][0] != '{' {
		return errorAt(text, bytes.Index(text, words[0]), "not a model file", useModelFile)
	}
	if syntaxErr, ok := errors.AsType[*json.SyntaxError](err); ok {
		if strings.Contains(err.Error(), "unexpected end") {
			return errorAt(text, len(text), "damaged model: the file ends within it"+fetchAgain)
		}
		return errorAt(text, int(syntaxErr.Offset)-1, fmt.Sprintf("damaged model: %v%s", err, fetchAgain))
	}
	if typeErr, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := typeErr.Field[strings.LastIndexByte(typeErr.Field, '.')+1:]
		offset := 1 + bytes.LastIndexAny(text[:max(0, typeErr.Offset-1)], ":,[ \t\r\n")
		err := errorAt(text, offset,
			fmt.Sprintf("damaged model: %s: expected %s%s", field, kindOf(typeErr.Type), fetchAgain))
		err.Number = typeErr.Type.Kind() == reflect.Float64
		return err
	}
	return fmt.Errorf("damaged model: %w%s", err, fetchAgain)
}

// withFileName adds the name of the file to err.
func withFileName(name string, err error) error {
	if parseErr, ok := errors.AsType[*sparse.ParseError](err); ok && parseErr.File == "" {
		parseErr.File = name
		return parseErr
	}
	return fmt.Errorf("%s: %w", name, err)
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a finite number"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	}
	return "an object"
}

// errorAt returns an error about the word that begins at the offset in text.
func errorAt(text []byte, offset int, msg string, remedies ...sparse.Remedy) *sparse.ParseError {
	prefix := text[:offset]
	word := text[offset:]
	if end := bytes.IndexAny(word, ",]} \t\r\n"); end > 0 {
		word = word[:end]
	}
	return &sparse.ParseError{
		Line: 1 + bytes.Count(prefix, []byte("\n")), Column: offset - bytes.LastIndexByte(prefix, '\n'),
		Token: string(word), Msg: msg,
		Remedies: remedies,
	}
}

// finiteNumbers has the names of those fields of a model file whose numbers must not be null.
var finiteNumbers = []string{
	"classes", "coefficients", "objective", "mean_loss", "ridge", "rel_tol", "negative", "positive",
}

// checkFields returns an error if an object of the file has two fields of the same name, if a field of
// finiteNumbers has null, which encoding/json would read as 0, or if an intercept or a label is missing.
func (f *modelFile) checkFields(text []byte) error {
	kind := "file"
	if f.Models == nil {
		kind = "column"
	}
	return f.checkObject(kind, text, text, 0)
}

// checkObject does the work of checkFields for an object that begins at the offset start of the file. kind is
// file, column or labels.
func (f *modelFile) checkObject(kind string, file, object []byte, start int) error {
	seen := map[string]bool{}
	err := eachItem(object, func(name string, value json.RawMessage, offset int) error {
		key := strings.ToLower(name) // encoding/json ignores the case of field names
		if seen[key] {
			return fmt.Errorf("damaged model: field %v is there twice", name)
		}
		seen[key] = true
		offset += start
		if index := bytes.Index(value, []byte("null")); index >= 0 && slices.Contains(finiteNumbers, key) {
			return errorAt(file, offset+index,
				fmt.Sprintf("damaged model: %s: expected a finite number%s", name, fetchAgain))
		}
		switch {
		case key == "models":
			k := -1
			return eachItem(value, func(_ string, column json.RawMessage, columnOffset int) error {
				k++
				err := f.checkObject("column", file, column, offset+columnOffset)
				if err != nil && len(f.Models) > 1 {
					err = fmt.Errorf("model %d: %w", k, err)
				}
				return err
			})
		case key == "labels" && value[0] == '{':
			return f.checkObject("labels", file, value, offset)
		}
		return nil
	})
	// Files of format 1, and some of format 2, have no intercept.
	needsIntercept := kind == "column" && f.Format != 1 && !(f.Format == 2 && seen["nonzero_features"])
	switch {
	case err != nil:
		return err
	case kind == "labels" && !(seen["negative"] && seen["positive"]):
		return errors.New("damaged model: labels without a negative and a positive one")
	case needsIntercept && !seen["intercept"]:
		return errors.New("damaged model: no intercept; expected a number, or null for none")
	}
	return nil
}
