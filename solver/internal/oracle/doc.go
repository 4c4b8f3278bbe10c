// Package oracle contains only tests. They compare the solvers with an independent reference on small random
// problems. The reference is an interior-point method in arithmetic with 32 digits. It shares no code with
// the solvers.
//
// To read: random_test.go has the test, draw_test.go draws the problems, reference_test.go has the
// reference, double_test.go its arithmetic.
package oracle
