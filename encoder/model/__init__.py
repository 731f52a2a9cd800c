"""The maths, written once: begin with `attention`, `block` and `encoder`, in the order of the paper."""
