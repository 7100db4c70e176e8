"""What browsers ask for: a module for each part of the site, and what every request goes through."""
