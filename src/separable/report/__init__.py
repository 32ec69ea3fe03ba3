"""Reports on campaigns: tables, tests, pictures, a page. They read records and never run anything.

`results` reads the records of a folder, `stats` compares, `tables`, `pictures` and `page` show, `export` hands on
to other tools, and `write` puts a whole report into a folder.
"""
