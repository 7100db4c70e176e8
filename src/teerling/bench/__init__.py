"""How fast everything is, measured on the machine that asks: `teerling bench`."""
