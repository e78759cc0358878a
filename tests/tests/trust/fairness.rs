//! Fairness means the same for every reduction, order and bound.
