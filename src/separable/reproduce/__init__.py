"""The paper's tables, run anew: what is to run, the running, the tables beside the paper's figures.

Start here:
    `decomposition.jobs`, `decomposition.run`    which decompositions, and their outcomes
    `decomposition.accuracy_table` and others    the tables of them
    `tables.render`                              a table as text: md, csv, tex, json
    `optimisation.plan`, `optimisation.beside`   the campaign of the paper, its results beside the paper's
    `paper/*.csv`                                the figures of the paper
"""
