"""pypix-api as a client of the bank on this machine. Argument: the bank's connection.json. A line for each call."""

import datetime
import json
import sys
import urllib.request
import uuid

from pypix_api.auth.oauth2 import OAuth2Client
from pypix_api.banks.base import BankPixAPIBase

with open(sys.argv[1]) as file:
    BANK = json.load(file)
CLIENT = BANK["client"]
ACCOUNT = CLIENT["accounts"][0]
SCOPES = "cob.write cob.read pix.write pix.read rec.write rec.read cobr.write cobr.read payloadlocationrec.write payloadlocationrec.read"


class LocalBank(BankPixAPIBase):
    BASE_URL = BANK["apiUrl"] + "/v2"
    TOKEN_URL = BANK["tokenUrl"]

    def get_base_url(self):
        return self.BASE_URL


def control(name, **body):
    request = urllib.request.Request(f"{BANK['controlUrl']}/{name}", json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def call(name, *args, **kwargs):
    try:
        answer = getattr(bank, name)(*args, **kwargs)
    except Exception as error:
        raise RuntimeError(f"{name}: {error!r}") from error
    print("ok", name)
    return answer


def must(what, is_so):
    if not is_so:
        raise AssertionError(what)


def charges():
    txid = uuid.uuid4().hex
    body = {"calendario": {"expiracao": 3600}, "valor": {"original": "12.34"}, "chave": ACCOUNT["chave"]}
    must("a charge is open", call("criar_cob", txid, body)["status"] == "ATIVA")
    call("revisar_cob", txid, {"valor": {"original": "20.00"}})
    e2e = control("pay", txid=txid)[0]["endToEndId"]
    must("the charge is paid", call("consultar_cob", txid)["pix"][0]["endToEndId"] == e2e)
    must("the charge is listed", len(call("consultar_cobs", *WINDOW)["cobs"]) == 1)
    must("the payment is listed", len(call("consultar_pix", *WINDOW)["pix"]) == 1)
    must("the payment has its amount", call("consultar_pix_por_e2eid", e2e)["valor"] == "20.00")
    refund = uuid.uuid4().hex
    call("solicitar_devolucao_pix", e2e, refund, {"valor": "5.00"})
    must("a refund is found", call("consultar_devolucao_pix", e2e, refund)["status"] == "EM_PROCESSAMENTO")


def recurrences():
    loc = call("criar_location_rec")["id"]
    call("consultar_location_rec", loc)
    rec = call("criar_recorrencia", {
        "vinculo": {"contrato": "contract-1", "devedor": {"cpf": "52998224725", "nome": "Maria Souza"}},
        "calendario": {"dataInicial": day(1).isoformat(), "periodicidade": "MENSAL"},
        "valor": {"valorRec": "29.90"},
        "politicaRetentativa": "PERMITE_3R_7D",
        "loc": loc,
    })["idRec"]
    control("authorize", idRec=rec)
    must("the recurrence is approved", call("consultar_recorrencia", rec)["status"] == "APROVADA")
    must("the recurrence is listed", len(call("listar_recorrencias", *WINDOW)["recs"]) == 1)
    txid = uuid.uuid4().hex
    account = {name: ACCOUNT[name] for name in ("conta", "agencia", "tipoConta")}
    call("criar_cobr_com_txid", txid, {
        "idRec": rec,
        "calendario": {"dataDeVencimento": day(5).isoformat()},
        "valor": {"original": "29.90"},
        "ajusteDiaUtil": False,
        "recebedor": account,
    })
    for status in ("AGENDADA", "EXPIRADA"):
        control("attempt", txid=txid, status=status)
    call("solicitar_retentativa_cobr", txid, day(6))
    must("the charge has two attempts", len(call("consultar_cobr", txid)["tentativas"]) == 2)
    must("the charge is listed", len(call("consultar_lista_cobr", *WINDOW)["cobsr"]) == 1)
    call("cancelar_cobr", txid)
    call("cancelar_recorrencia", rec)


def day(days):
    """Of Brasília, so many days from today."""
    return (NOW - datetime.timedelta(hours=3)).date() + datetime.timedelta(days=days)


NOW = datetime.datetime.now(datetime.timezone.utc)
WINDOW = [(NOW + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ") for hours in (-1, 1)]
bank = LocalBank(
    OAuth2Client(
        BANK["tokenUrl"], CLIENT["id"], CLIENT["certFile"], CLIENT["keyFile"], client_secret=CLIENT["secret"]
    ),
    scopes=SCOPES,
)
for part in (charges, recurrences):
    try:
        part()
    except Exception as error:
        print("FAIL", error)
