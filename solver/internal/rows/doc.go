// Package rows reads the rows of the data and computes sums over them: the mean loss, its gradient, and
// statistics of columns. It finds the distinct labels, and reports whether margins separate classes. The rows
// are in memory, in a mapped file, or distributed over several processes.
//
// Rows in memory are divided into chunks ([Chunks]). The rows of a file are divided into windows that are
// read one after the other ([Windows]). Sums are computed for each chunk, and then added in the order of the
// chunks, so the bits of results do not depend on the number of goroutines. A [Team] adds the sums of
// processes. Read [Sums] first.
package rows
