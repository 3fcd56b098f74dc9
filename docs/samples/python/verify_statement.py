"""Verify the proofs of a statement: python3 verify_statement.py FILE [KEY] (each line one signed root or one entry, as JSON)."""
import base64, collections, decimal, functools, json, re, statistics, sys; from hashlib import sha256
# Forms: the pattern of a text, a range of numbers, a list or an object of forms; a member named with "?" may be absent.
ANY, MONEY, HASH, POSITION, ONE = "(?s:.*)", r"-?\d{1,18}(\.\d\d?)?", "[0-9a-f]{64}", range(1, 2**53), range(1, 2)
MINUTE, REST = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d", r":[0-5]\d\.\d{3}Z"
NAMES = dict.fromkeys("id accountId type? orderId? refundId? creditId? disputeId? endToEndId? controlNumber?".split(), ANY)
PARTY = {"name?": ANY, "document?": {"type?": ANY, "number?": ANY}, "bank?": {"ispb?": ANY, "branch?": ANY, "account?": ANY}}
COVERED = NAMES | {"available?": MONEY, "reserved?": MONEY, "blocked?": MONEY, "createdAt": MINUTE + REST, "counterparty?": PARTY}
PROOF = {"version": ONE, "position": POSITION, "minute": ANY, "previous": HASH, "hash": HASH}
LEAF, PATH = {"accountId": ANY, "position": POSITION, "hash": HASH}, [{"hash": HASH, "side": "LEFT|RIGHT"}]
JWS, JWK = r"(([\w-]{4})*([\w-]{2,3})?\.){2}[\w-]{85}[AQgw]", {"kty": "EC", "crv": "P-256"} | dict.fromkeys("xy", r"[\w-]{43}")
ROOT = {"minute": MINUTE, "root": HASH, "jws": JWS, "inclusion": LEAF | {"path": PATH}}
HEADER = {"alg": "ES256", "typ": r"statement-root\+jws", "crit?": "(?!)", "kid": ANY, "jwk": JWK}  # nothing fits (?!)
SIGNED = {"version": ONE, "minute": ANY, "root": ANY, "signedAt": ANY, "previous?": {"minute": MINUTE, "hash": HASH}}
P, A, O = 2**256 - 2**224 + 2**192 + 2**96 - 1, -3, (0, 1, 0)  # P-256: y² = x³ + Ax + B modulo P, with N points
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5, 1)
def canonical(value): return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
def decode(text): return base64.urlsafe_b64decode(text + "==")
def is_root(line): return "jws" in line or "inclusion" in line
def ensure(condition, about, problem):  # fail with account and minute of an entry or root, unless the condition holds
    if condition: return
    parts = {"minute": about.get("createdAt")}, about, about.get("proof"), about.get("inclusion")
    texts = {name: text for part in parts if isinstance(part, dict) for name, text in part.items() if isinstance(text, str)}
    account, name, minute = (texts.get(name, "?") for name in ("accountId", "id", "minute"))
    raise ValueError(f"account {account}, {'root of' if is_root(about) else f'entry {name},'} minute {minute}: {problem}")
def shaped(value, form, about, name):  # return the part of value that its form names; fail if it has not the form
    fits = type(value) is (kind := int if isinstance(form, range) else type(form))
    if fits and kind in (int, str): fits = value in form if kind is int else re.fullmatch(form, value, re.A)
    ensure(fits, about, f"{name} is missing or has a wrong form")
    if kind is list: return [shaped(item, form[0], about, name) for item in value]
    return value if kind is not dict else {key: shaped(value.get(key), form[member], about, f"{name}: {key}") for member in form
                                           if (key := member.rstrip("?")) == member or key in value}
def read(data, form, about, name):  # return what its form names (None: of a root or entry) of the JSON object in data
    twice, hook = [], lambda pairs: twice.append(len(pairs) > len(dict(pairs))) or dict(pairs)
    try: canonical((value := json.loads(data.decode(), object_pairs_hook=hook, parse_constant=int)) | {})  # int refuses NaN
    except (TypeError, ValueError, RecursionError): ensure(False, about, f"{name} is not a JSON object of valid Unicode")
    ensure(not any(twice), about or value, f"an object of {name} has two members of the same name")
    return shaped(value, form or (ROOT if is_root(value) else COVERED | {"proof?": PROOF}), about or value, name)
def check_link(before, entry):  # check an entry that follows the proof before (None: the first of the file); return its proof
    proof, place = entry["proof"], entry["proof"]["position"]
    due = before["position"] + 1 if before else place
    ensure(place == due, entry, f"position {due} is missing before it" if place > due else f"position {place} is there twice")
    ensure((place == 1) == (proof["previous"] == "0" * 64), entry, "position 1, and no other, must follow zeros")
    ensure(not before or proof["previous"] == before["hash"], entry, "previous is not the hash of the entry before it")
    text = canonical({name: entry[name] for name in entry if name != "proof"} | {"version": 1})
    ensure(proof["hash"] == sha256(bytes.fromhex(proof["previous"]) + text).hexdigest(), entry, "its hash is wrong")
    return proof
def add(x, y, z, u, v, w):  # add two points (x / z, y / z) by the formulas of Bosma and Lenstra, which have no special case
    xx, yy, zz, xy, xz, yz = x * u, y * v, z * w, x * v + u * y, x * w + u * z, y * w + v * z
    f, g, h = A * xz + 3 * B * zz, A * xx + 3 * B * xz - A * A * zz, 3 * xx + A * zz
    return (xy * (yy - f) - yz * g) % P, ((yy + f) * (yy - f) + g * h) % P, (yz * (yy + f) + xy * h) % P
def is_signed(digest, r, s, x, y):  # whether r and s are an ECDSA signature of digest by the key x, y
    if not (0 < r < N and 0 < s < N and x < P and y < P and (y * y - x**3 - A * x - B) % P == 0): return False
    point, w, sums = O, pow(s, -1, N), {("0", "0"): O, ("1", "0"): BASE, ("0", "1"): (x, y, 1), ("1", "1"): add(*BASE, x, y, 1)}
    for bits in zip(f"{digest * w % N:0256b}", f"{r * w % N:0256b}"): point = add(*add(*point, *point), *sums[bits])
    return point[2] != 0 and point[0] * pow(point[2], -1, P) % P % N == r
def check_root(before, root, hashes, key):  # check a root that follows before (or None); return the thumbprint of its key
    (head, body, signature), inclusion, place = root["jws"].split("."), root["inclusion"], root["inclusion"]["position"]
    header, signed = read(decode(head), HEADER, root, "its header"), read(decode(body), SIGNED, root, "its payload")
    kid, jwk, pair, link = header["kid"], header["jwk"], decode(signature), signed.get("previous", {"minute": ""})
    ensure(f"{kid}=".encode() == base64.urlsafe_b64encode(sha256(canonical(jwk)).digest()), root, "its kid is not its thumbprint")
    ensure(key in (None, kid), root, f"it is signed by the key {kid}, not by {key}")
    parts = sha256(f"{head}.{body}".encode()).digest(), pair[:32], pair[32:], decode(jwk["x"]), decode(jwk["y"])
    ensure(is_signed(*(int.from_bytes(part, "big") for part in parts)), root, "its signature is wrong")
    ensure(all(signed[name] == root[name] for name in ("minute", "root")), root, "its minute or root is not what was signed")
    due = before and {"minute": before["minute"], "hash": sha256(before["jws"].encode()).hexdigest()}
    fits = link["minute"] < root["minute"] and (not before or link == due or link["minute"] > due["minute"])
    ensure(fits, root, "its previous does not match the root before it")
    node = sha256(b"\0" + canonical({name: inclusion[name] for name in LEAF} | {"version": 1})).hexdigest()
    for step in inclusion["path"]:
        node = sha256(b"\1" + bytes.fromhex(step["hash"] + node if step["side"] == "LEFT" else node + step["hash"])).hexdigest()
    ensure(node == root["root"], root, "its path does not lead from its leaf to its root")
    ensure(not before or place > before["inclusion"]["position"], root, "its position is not after that of the root before it")
    ensure(hashes.get(place, inclusion["hash"]) == inclusion["hash"], root, f"the entry at position {place} has another hash")
    return kid
def verify(data, expected=None):  # return the summary of a statement, or fail at the first error
    lines = [read(line, None, {}, f"line {number}") for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    roots, entries = sorted(filter(is_root, lines), key=lambda root: root["minute"]), [line for line in lines if "id" in line]
    chain = sorted((entry for entry in entries if "proof" in entry), key=lambda entry: entry["proof"]["position"])
    ensure(chain, entries[0] if entries else {}, "the file has no entry with a proof")
    account, ids = statistics.mode(entry["accountId"] for entry in entries), collections.Counter(entry["id"] for entry in entries)
    for line in lines: ensure(line.get("inclusion", line)["accountId"] == account, line, f"it is not of the account {account}")
    first, last = chain[0]["proof"], functools.reduce(check_link, chain, None)
    for entry in entries: ensure(ids[entry["id"]] == 1, entry, "its id is there twice")
    hashes = {entry["proof"]["position"]: entry["proof"]["hash"] for entry in chain} | {first["position"] - 1: first["previous"]}
    key = expected
    for before, root in zip([None, *roots], roots): key = check_root(before, root, hashes, key)
    balance = sum(decimal.Decimal(entry.get(name, "0")) for entry in entries for name in ("available", "reserved", "blocked"))
    times, places = sorted(entry["createdAt"] for entry in entries), range(first["position"], last["position"] + 1)
    ends = [(place, root["minute"]) for root in roots if (place := root["inclusion"]["position"]) in places]
    ensure(ends or expected is None, chain[-1], "no signed root covers it or an entry before it")
    signed = f"signed to position {ends[-1][0]}, minute {ends[-1][1]}, by the key {key}" if ends else "no root covers them"
    end = f"last hash {last['hash']})" + (f", {n} at the end have no proof yet" if (n := len(entries) - len(chain)) else "")
    return (f"{len(entries)} entries of the account {account}, balance {balance:.2f} at {times[-1]}, "
            f"unbroken since {times[0]} (positions {first['position']} to {last['position']}, {end}; {signed}")
if __name__ == "__main__":
    try: code, result = 0, verify(open("".join(sys.argv[1:2]), "rb").read(), *sys.argv[2:3])
    except (OSError, ValueError) as error: code, result = 1, str(error)
    print(result.encode("unicode_escape").decode()); sys.exit(code)  # always one line
