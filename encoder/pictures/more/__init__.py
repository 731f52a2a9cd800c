"""What stands below the picture of a page: charts, tables and checks, as data."""
