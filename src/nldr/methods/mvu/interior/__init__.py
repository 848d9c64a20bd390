"""Interior-point method on the face that rigid groups leave free."""
