"""Reads a statement's file as an accountant's program does, and prints its entries as JSON."""

import csv
import json
import sys

from ofxtools.Parser import OFXTree


def of_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    return {"entries": [[row["id"], row["total"], row["counterpartyName"]] for row in rows]}


def of_ofx(path):
    tree = OFXTree()
    tree.parse(path)
    [statement] = tree.convert().statements
    entries = [[one.fitid, str(one.trnamt), one.name or ""] for one in statement.transactions]
    account = statement.account
    return {
        "entries": entries,
        "account": [account.bankid, account.branchid, account.acctid, account.accttype],
        "currency": statement.curdef,
        "balance": str(statement.balance.balamt),
    }


print(json.dumps({"csv": of_csv, "ofx": of_ofx}[sys.argv[1]](sys.argv[2])))
