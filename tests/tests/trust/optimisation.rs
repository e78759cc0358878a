//! The default level of optimisation hides no race.
