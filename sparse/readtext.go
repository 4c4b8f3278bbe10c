package sparse

import "io"

// ReadText reads all of r, decompressed as Decompress does, and refuses binary
// content with a *ParseError. It is for files that fit in memory, such as
// matrices and graphs.
func ReadText(r io.Reader, name string) ([]byte, Compression, error) {
	in, kind, err := Decompress(r, name)
	if err != nil {
		return nil, kind, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, kind, err
	}
	if err := refuseBinary(data[:min(len(data), blockSize)], name); err != nil {
		return nil, kind, err
	}
	return data, kind, nil
}
