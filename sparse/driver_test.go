package sparse_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// memoryDriver is a driver for database/sql that returns the same table for every query.
type memoryDriver struct{}

func (d memoryDriver) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d memoryDriver) Driver() driver.Driver                        { return d }
func (d memoryDriver) Open(string) (driver.Conn, error)             { return d, nil }
func (memoryDriver) Prepare(string) (driver.Stmt, error)            { return nil, errors.ErrUnsupported }
func (memoryDriver) Begin() (driver.Tx, error)                      { return nil, errors.ErrUnsupported }
func (memoryDriver) Close() error                                   { return nil }

func (memoryDriver) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &memoryRows{
		{int64(0), 61.0, 0.5, nil},
		{int64(1), 48.0, nil, 7.25},
		{int64(0), 55.0, nil, nil},
	}, nil
}

// memoryRows holds the rows that were not read yet.
type memoryRows [][]driver.Value

func (r *memoryRows) Columns() []string { return []string{"ill", "age", "dose", "marker"} }
func (r *memoryRows) Close() error      { return nil }

func (r *memoryRows) Next(dest []driver.Value) error {
	if len(*r) == 0 {
		return io.EOF
	}
	copy(dest, (*r)[0])
	*r = (*r)[1:]
	return nil
}
