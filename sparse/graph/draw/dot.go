package draw

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// DOT writes g in the language of Graphviz: nodes are named by their 1-based
// number and labelled with names (one per node, or nil for the number; any other
// count is an error). Edges carry their weight as a comment; those of negative
// weight are dashed. Isolated nodes are left out, but for a comment with their
// number.
func DOT(w io.Writer, g *graph.Graph, names []string) error {
	if err := checkNames(g, names); err != nil {
		return err
	}
	return text.Write(w, "draw: writing DOT", func(to *bufio.Writer) {
		fmt.Fprintf(to, "graph {\n")
		isolated := 0
		for i, d := range g.Degrees() {
			switch {
			case d == 0:
				isolated++
			case names != nil:
				fmt.Fprintf(to, "\t%d [label=\"%s\"];\n", i+1, dotEscape.Replace(names[i]))
			default:
				fmt.Fprintf(to, "\t%d;\n", i+1)
			}
		}
		fmt.Fprintf(to, "\t// %d nodes without edges are left out\n", isolated)
		for _, e := range g.Edges() {
			style := ""
			if e.Weight < 0 {
				style = ", style=dashed"
			}
			fmt.Fprintf(to, "\t%d -- %d [comment=\"%s\"%s];\n", int(e.I)+1, int(e.J)+1, strconv.FormatFloat(e.Weight, 'g', -1, 64), style)
		}
		fmt.Fprintf(to, "}\n")
	})
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "")

func checkNames(g *graph.Graph, names []string) error {
	if names != nil && len(names) != g.Nodes() {
		return fmt.Errorf("draw: %d names for %d nodes: want one per node, or none", len(names), g.Nodes())
	}
	return nil
}
