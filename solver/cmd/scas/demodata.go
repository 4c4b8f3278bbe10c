package main

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the table
	"encoding/csv"
	"fmt"
	"strconv"

	"github.com/scas-admm/scas/sparse"
)

// The Wisconsin diagnostic breast cancer table; source and licence (CC BY 4.0)
// are in wdbc.txt.
//
//go:embed wdbc.csv.gz
var wdbcFile []byte

// A table is a small dense data set with named features.
type table struct {
	names  []string
	values []float64 // row by row
	labels []float64 // +1 malignant, -1 benign
}

func readWDBC() (*table, error) {
	z, err := gzip.NewReader(bytes.NewReader(wdbcFile))
	if err != nil {
		return nil, fmt.Errorf("embedded table: %w", err)
	}
	records, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("embedded table: %w", err)
	}
	t := &table{names: records[0][1:]}
	for _, r := range records[1:] {
		b := -1.0
		if r[0] == "M" {
			b = 1
		}
		t.labels = append(t.labels, b)
		for _, field := range r[1:] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("embedded table: %w", err)
			}
			t.values = append(t.values, v)
		}
	}
	return t, nil
}

// everyKth divides rows, class by class and in order: the k-th, 2k-th, ...
// starting at first go to held, the others to train.
func (t *table) everyKth(rows []int, k, first int) (train, held []int) {
	seen := make(map[float64]int)
	for _, i := range rows {
		b := t.labels[i]
		if seen[b]%k == first {
			held = append(held, i)
		} else {
			train = append(train, i)
		}
		seen[b]++
	}
	return train, held
}

// A design is a standardised part of a table: the features and, last, a
// constant 1 for the intercept.
type design struct {
	x      *sparse.CSR
	labels []float64
}

// standardized gives both parts mean 0 and deviation 1 as measured on train.
func (t *table) standardized(train, held []int) (tr, he *design, err error) {
	raw, err := sparse.FromDense(len(t.labels), len(t.names), t.values)
	if err != nil {
		return nil, nil, err
	}
	rawTrain, err := raw.SelectRows(train)
	if err != nil {
		return nil, nil, err
	}
	_, scaling, err := sparse.Standardize(rawTrain, true)
	if err != nil {
		return nil, nil, err
	}
	all, err := scaling.Apply(raw)
	if err != nil {
		return nil, nil, err
	}
	if tr, err = t.design(all, train); err != nil {
		return nil, nil, err
	}
	he, err = t.design(all, held)
	return tr, he, err
}

// design picks rows of x and adds the constant.
func (t *table) design(x *sparse.CSR, rows []int) (*design, error) {
	p := len(t.names)
	dense := make([]float64, len(rows)*(p+1))
	d := &design{labels: make([]float64, len(rows))}
	for k, i := range rows {
		idx, val := x.Row(i)
		row := dense[k*(p+1) : (k+1)*(p+1)]
		for l, j := range idx {
			row[j] = val[l]
		}
		row[p] = 1
		d.labels[k] = t.labels[i]
	}
	var err error
	d.x, err = sparse.FromDense(len(rows), p+1, dense)
	return d, err
}
