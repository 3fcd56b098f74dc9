"""Verify the proofs of a statement: python3 verify_statement.py FILE (each line one entry, as JSON)."""
import collections, datetime, decimal, functools, hashlib, json, re, sys
TEXTS = "id accountId type available reserved blocked createdAt orderId refundId creditId disputeId endToEndId controlNumber"
PARTY = {"name": str, "document": {"type": str, "number": str}, "bank": {"ispb": str, "branch": str, "account": str}}
COVERED = dict.fromkeys(TEXTS.split(), str) | {"counterparty": PARTY}  # what a hash covers, besides the version
PROOF, AMOUNTS = dict(version=int, position=int, minute=str, previous=str, hash=str), ("available", "reserved", "blocked")
def ensure(condition, entry, problem):
    """Fail with account, entry and minute, unless the condition holds."""
    if not condition:
        minute = (proof if isinstance(proof := entry.get("proof"), dict) else {}).get("minute", entry.get("createdAt", "?"))
        raise ValueError(f"account {entry.get('accountId', '?')}, entry {entry.get('id', '?')}, minute {minute}: {problem}")
def covered(entry, value, shape=COVERED, name="the entry"):
    """Return the part of value that a hash covers; its leaves must be texts."""
    ensure(isinstance(value, str if shape is str else dict), entry, f"{name} is not {'a text' if shape is str else 'an object'}")
    return value if shape is str else {key: covered(entry, value[key], shape[key], key) for key in shape if key in value}
def parse(number, line):
    """Return the entry of a line, after a check of its form."""
    objects = []  # the members of each object, as pairs of name and value
    try:
        entry = json.loads(line.decode(), object_pairs_hook=lambda pairs: objects.append(pairs) or dict(pairs))
        json.dumps(entry | {}, ensure_ascii=False).encode()  # fails if it is no object, or a text is not valid Unicode
    except (AttributeError, TypeError, ValueError, RecursionError): ensure(False, {}, f"line {number} is not a JSON object")
    ensure(all(len(pairs) == len(dict(pairs)) for pairs in objects), entry, "an object has two members of the same name")
    ensure({"id", "accountId", "createdAt"} <= covered(entry, entry).keys(), entry, f"line {number} lacks a field")
    for name in AMOUNTS: ensure(re.fullmatch(r"-?\d{1,18}(\.\d\d?)?", entry.get(name, "0"), re.A), entry, f"{name} is no amount")
    try: ensure(datetime.datetime.fromisoformat(entry["createdAt"]).tzinfo, entry, "createdAt has no zone")
    except ValueError: ensure(False, entry, "createdAt is not a time with its zone")
    if "proof" in entry:
        form = isinstance(proof := entry["proof"], dict) and all(type(proof.get(name)) is kind for name, kind in PROOF.items())
        form = form and proof["version"] == 1 and proof["position"] > 0 and re.fullmatch("[0-9a-f]{64}", proof["previous"])
        ensure(form, entry, "its proof has not the form of version 1")
    return entry
def check_link(before, entry):
    """Check an entry that follows the proof before (None if it is the first one of the file); return its proof."""
    proof, place = entry["proof"], entry["proof"]["position"]
    due = before["position"] + 1 if before else place
    ensure(place == due, entry, f"position {due} is missing before it" if place > due else f"position {place} is there twice")
    ensure((place == 1) == (proof["previous"] == "0" * 64), entry, "position 1, and no other, must follow zeros")
    ensure(not before or proof["previous"] == before["hash"], entry, "previous is not the hash of the entry before it")
    text = json.dumps(covered(entry, entry) | {"version": 1}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    ensure(proof["hash"] == hashlib.sha256(bytes.fromhex(proof["previous"]) + text.encode()).hexdigest(), entry, "its hash is wrong")
    return proof
def verify(data):
    """Return the summary of a statement, or fail at the first error."""
    entries = [parse(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    accounts, ids = (collections.Counter(entry[name] for entry in entries) for name in ("accountId", "id"))
    for entry in entries: ensure(entry["accountId"] == max(accounts, key=accounts.get), entry, "it is of another account")
    chain = sorted((entry for entry in entries if "proof" in entry), key=lambda entry: entry["proof"]["position"])
    ensure(chain, entries[0] if entries else {}, "the file has no entry with a proof")
    last = functools.reduce(check_link, chain, None)
    for entry in entries: ensure(ids[entry["id"]] == 1, entry, "its id is there twice")
    balance = sum(decimal.Decimal(entry.get(name, "0")) for entry in entries for name in AMOUNTS)  # exact, no float
    times = sorted((entry["createdAt"] for entry in entries), key=datetime.datetime.fromisoformat)
    end = f"last hash {last['hash']})" + (f", {n} at the end have no proof yet" if (n := len(entries) - len(chain)) else "")
    return (f"{len(entries)} entries of the account {entries[0]['accountId']}, balance {balance:.2f} at {times[-1]}, "
            f"unbroken since {times[0]} (positions {chain[0]['proof']['position']} to {last['position']}, {end}")
if __name__ == "__main__":
    try: code, result = 0, verify(open(sys.argv[1], "rb").read())
    except (OSError, ValueError) as error: code, result = 1, str(error)
    print(result.encode("unicode_escape").decode()); sys.exit(code)  # always one line
