package linalg

import "math"

// eigenSymmetric returns the eigenvalues of the symmetric p × p matrix m, and orthonormal eigenvectors as
// rows of length p. It overwrites m, and ends if interrupt returns an error. It uses Jacobi rotations and no
// library, because the order of sums in a library may depend on the machine.
func eigenSymmetric(m []float64, p int, interrupt func() error) (values, vectors []float64, err error) {
	vectors = make([]float64, p*p)
	for i := range p {
		vectors[i*p+i] = 1
	}
	exponent := scaleToOne(m)
	total := SumSquares(m)
	for range 60 {
		var off float64
		for i := range p {
			for _, v := range m[i*p+i+1 : (i+1)*p] {
				off += float64(v * v)
			}
		}
		if off <= 1e-30*total {
			break
		}
		for i := range p {
			for j := i + 1; j < p; j++ {
				rotateJacobi(m, vectors, p, i, j)
			}
			if err := interrupt(); err != nil {
				return nil, nil, err
			}
		}
	}
	values = make([]float64, p)
	for i := range values {
		values[i] = math.Ldexp(m[i*p+i], exponent)
	}
	return values, vectors, nil
}

// scaleToOne divides v by 2^exponent, so that its largest absolute value is from 1/2 to 1. Then squares
// neither overflow nor underflow. The division does not change the digits.
func scaleToOne(v []float64) (exponent int) {
	var largest float64
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	_, exponent = math.Frexp(largest)
	for k, x := range v {
		v[k] = math.Ldexp(x, -exponent)
	}
	return exponent
}

// rotateJacobi makes m[i,j] zero by a rotation of the rows i and j and the columns i and j of m. It also
// rotates the rows i and j of vectors. It does nothing if m[i,j] is negligible.
func rotateJacobi(m, vectors []float64, p, i, j int) {
	apq := m[i*p+j]
	if math.Abs(apq) <= 1e-18*(math.Abs(m[i*p+i])+math.Abs(m[j*p+j])) {
		return
	}
	theta := (m[j*p+j] - m[i*p+i]) / (2 * apq)
	t := 1 / (math.Abs(theta) + math.Sqrt(math.FMA(theta, theta, 1)))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(math.FMA(t, t, 1))
	s := float64(t * c)
	rotateRows(m[i*p:(i+1)*p], m[j*p:(j+1)*p], c, s)
	for k := range p {
		x, y := m[k*p+i], m[k*p+j]
		m[k*p+i] = math.FMA(c, x, -float64(s*y))
		m[k*p+j] = math.FMA(s, x, float64(c*y))
	}
	m[i*p+j], m[j*p+i] = 0, 0
	rotateRows(vectors[i*p:(i+1)*p], vectors[j*p:(j+1)*p], c, s)
}

// rotateRows replaces the rows x and y by c·x − s·y and s·x + c·y.
func rotateRows(x, y []float64, c, s float64) {
	for k, v := range x {
		w := y[k]
		x[k] = math.FMA(c, v, -float64(s*w))
		y[k] = math.FMA(s, v, float64(c*w))
	}
}
