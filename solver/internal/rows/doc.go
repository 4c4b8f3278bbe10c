// Package rows goes over the rows of data, in memory, in a file, or in parts on several processes, and
// adds up what they say: the mean loss, its gradient, sums of columns, weights of classes, whether
// margins tell classes apart.
//
// Rows in memory are cut into runs ([Chunks]), those of a file into windows of runs that are read one
// after the other ([Windows]). Each run has sums of its own, which are added in the order of the rows:
// so results have the same bits for any number of goroutines. A [Team] adds those of processes.
package rows
