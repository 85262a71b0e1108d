"""The commands of `r4 mtl`: rules with metric time over facts with intervals."""
