// Package rows reads the rows of the data and computes sums over them: the mean loss, its gradient, and
// statistics of columns. It finds the distinct labels, and whether margins separate classes. The rows are
// in memory, in a mapped file, or distributed over several processes.
//
// Rows in memory are divided into chunks ([Chunks]). The rows of a file are divided into
// windows that are read one after the other ([Windows]). Every chunk has sums of its own.
// They are added in the order of the rows, so the bits of results do not depend on the
// number of goroutines. A [Team] adds the sums of processes. Read [Sums] first.
package rows
