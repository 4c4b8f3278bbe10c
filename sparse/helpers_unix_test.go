//go:build unix

package sparse

const mapsFiles = true
