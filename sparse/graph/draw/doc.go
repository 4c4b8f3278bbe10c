// Package draw makes pictures of graphs over features: SVG lays one out and draws
// it, DOT leaves that to Graphviz. It is for people to look at; nothing is
// computed from what it makes.
package draw
