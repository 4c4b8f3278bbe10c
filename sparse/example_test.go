package sparse_test

import (
	"database/sql"
	"fmt"
	"os"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

func ExampleRead() {
	text := "2 1:0.5 3:-1\n1 2:4\n2 1:1 # labels are 1 and 2\n"
	d, err := sparse.Read(strings.NewReader(text), "patients.txt", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := d.X.Dims()
	fmt.Println(rows, "x", cols, "with", d.X.NNZ(), "entries, indices from", d.Stats.IndexBase)
	fmt.Println("The classes", d.Classes.All(), "have the labels -1 and +1:", d.Labels)
	// Output:
	// 3 x 3 with 4 entries, indices from 1
	// The classes [1 2] have the labels -1 and +1: [1 -1 1]
}

func ExampleRead_error() {
	text := "1 1:0.5 3:-1\n0 2:oops\n"
	_, err := sparse.Read(strings.NewReader(text), "patients.txt", nil)
	fmt.Println(err)
	// Output:
	// patients.txt:2:3: "2:oops": expected a finite decimal number after the colon
}

func ExampleCSR_Gram() {
	a, err := sparse.FromDense(3, 2, []float64{
		1, -1,
		1, 0,
		0, 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := a.Gram().Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 2 4
	// 1 1 2
	// 1 2 -1
	// 2 1 -1
	// 2 2 2
}

func ExampleSplit() {
	x, err := sparse.FromTriplets(5, 1, []sparse.Triplet{{Row: 0, Value: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := &sparse.Dataset{X: x, Labels: []float64{1, 2, 3, 4, 5}}
	train, test := sparse.Split(5, 3, 1)
	part, err := d.SelectRows(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(train, test)
	fmt.Println(part.X.Dims())
	fmt.Println(part.Labels)
	// Output:
	// [0 1 4] [2 3]
	// 3 1
	// [1 2 5]
}

func ExampleNewSynthetic() {
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 100, Features: 8, Groups: 2, GroupSize: 3, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Coefficients)
	fmt.Println(s.Edges)
	// Output:
	// [1 1 1 -1.5 -1.5 -1.5 0 0]
	// [[0 1] [1 2] [3 4] [4 5]]
}

// In a table, words become categories, and missing values are filled.
func ExampleRead_table() {
	const table = `price,rooms,city
250,3,Ulm
310,,Bonn
199,2,Ulm
`
	d, err := sparse.Read(strings.NewReader(table), "houses.csv", &sparse.ReadOptions{
		Regression: true,
		Table:      sparse.TableOptions{Label: "price", Missing: sparse.MissingMean},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Names, d.Labels)
	for i := range d.Labels {
		fmt.Println(d.X.Row(i))
	}
	// Output:
	// [rooms city=Bonn city=Ulm] [250 310 199]
	// [0 2] [3 1]
	// [0 1] [2.5 1]
	// [0 2] [2 1]
}

// The samples are in a database; a patient becomes a row. If the rows take more than a gigabyte,
// they are written to a temporary file.
func ExampleBuilder() {
	db := sql.OpenDB(memoryDriver{})
	defer db.Close()
	d, err := patients(db)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	fmt.Println(d.Names, d.Classes.All(), d.Labels)
	for i := range d.Labels {
		fmt.Println(d.X.Row(i))
	}
	// Output:
	// [age dose marker] [0 1] [-1 1 -1]
	// [0 1] [61 0.5]
	// [0 2] [48 7.25]
	// [0] [55]
}

// patients reads all patients. A measurement that was not made is NULL and becomes 0.
func patients(db *sql.DB) (*sparse.Dataset, error) {
	rows, err := db.Query("SELECT ill, age, dose, marker FROM patients")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	b := sparse.NewBuilder(3)
	defer b.Close()
	b.Options.Memory = 1 << 30
	b.Names = []string{"age", "dose", "marker"}
	for rows.Next() {
		var ill float64
		var cells [3]sql.NullFloat64
		if err := rows.Scan(&ill, &cells[0], &cells[1], &cells[2]); err != nil {
			return nil, err
		}
		var idx []int32
		var val []float64
		for j, c := range cells {
			if c.Valid {
				idx, val = append(idx, int32(j)), append(val, c.Float64)
			}
		}
		if err := b.Append(idx, val, ill); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return b.Dataset()
}
