//! Loops that retry: what fairness says of them is in tests/.
