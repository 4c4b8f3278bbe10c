package graph

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteDOT writes the graph in the language of Graphviz: nodes are named by their
// 1-based number and labelled with names (one per node, or nil for the number).
// Edges carry their weight as a comment; those of negative weight are dashed. Isolated nodes
// are left out, but for a comment with their number.
func (g *Graph) WriteDOT(w io.Writer, names []string) error {
	if err := g.checkNames(names); err != nil {
		return err
	}
	bw := bufio.NewWriter(w) // its first error sticks until Flush
	fmt.Fprintf(bw, "graph {\n")
	isolated := 0
	for i, d := range g.Degrees() {
		switch {
		case d == 0:
			isolated++
		case names != nil:
			fmt.Fprintf(bw, "\t%d [label=\"%s\"];\n", i+1, dotEscape.Replace(names[i]))
		default:
			fmt.Fprintf(bw, "\t%d;\n", i+1)
		}
	}
	fmt.Fprintf(bw, "\t// %d nodes without edges are left out\n", isolated)
	for _, e := range g.edges {
		style := ""
		if e.Weight < 0 {
			style = ", style=dashed"
		}
		fmt.Fprintf(bw, "\t%d -- %d [comment=\"%s\"%s];\n", int(e.I)+1, int(e.J)+1, strconv.FormatFloat(e.Weight, 'g', -1, 64), style)
	}
	fmt.Fprintf(bw, "}\n")
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("graph: writing DOT: %w", err)
	}
	return nil
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "")

func (g *Graph) checkNames(names []string) error {
	if names != nil && len(names) != g.n {
		return fmt.Errorf("graph: %d names for %d nodes: want one per node, or none", len(names), g.n)
	}
	return nil
}
