//! Reference counts (`Arc`, `Weak`, `shared_ptr`) are operations of the search.
