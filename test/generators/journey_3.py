"""Plays journey 3 with its refund through a generated client, and tells what it reads: the id, each status, the last change."""

import sys
from datetime import date
from uuid import uuid4

import openapi_client as api

host, token, account, receiver = sys.argv[1:]
client = api.ApiClient(api.Configuration(host=host, access_token=token))
subscriptions, pay_ins, tools = (
    kind(client) for kind in (api.SubscriptionsApi, api.PayInsApi, api.SimulationToolsApi)
)

subscription = subscriptions.create_subscription(
    api.CreateSubscriptionRequest(
        account_id=account,
        type="AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
        external_id=f"contract-{uuid4()}",
        webhook_url=receiver,
        frequency_type="MONTHLY",
        start_date=date(2030, 1, 10),
        debtor=api.PartyInput(
            name="Maria Souza", document=api.DocumentInput(type="CPF", number="52998224725")
        ),
        initial_charge=api.InitialChargeInput(
            amount=api.AmountInput(currency="BRL", value=api.AmountValue("29.90"))
        ),
    ),
    idempotency_key=str(uuid4()),
)
charge = str(subscription.initial_charge.order_id)
told = [subscription.status, pay_ins.get_pay_in(charge).status]
tools.force_order_status(api.ForceOrderStatusRequest(id=charge, status="PAID"))
told.append(pay_ins.get_pay_in(charge).status)
refund = pay_ins.refund_pay_in(charge, str(uuid4()), refund_pay_in_request=api.RefundPayInRequest())
told.append(refund.status)
tools.force_order_status(api.ForceOrderStatusRequest(id=charge, status="REFUNDED"))
told.append(pay_ins.get_pay_in(charge).status)
tools.force_subscription_status(
    api.ForceSubscriptionStatusRequest(id=str(subscription.id), status="ACCEPTED")
)
accepted = subscriptions.get_subscription(subscription.id)
print(accepted.id, *told, accepted.status, round(accepted.updated_at.timestamp() * 1000))
