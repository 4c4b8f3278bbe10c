package main

type demoCmd struct{}

func (c *demoCmd) Run(e *env) error { return nil }
