import { world } from '../world/current.ts';

/* `@aws-sdk/client-sesv2` and `@aws-sdk/client-sns` for the service: messages to the holders of the world. */

export class SendEmailCommand {
  readonly input: {
    readonly Destination: { readonly ToAddresses: readonly string[] };
    readonly Content: { readonly Simple: { readonly Body: { readonly Text: { readonly Data: string } } } };
  };
  constructor(input: SendEmailCommand['input']) {
    this.input = input;
  }
}

export class PublishCommand {
  readonly input: { readonly PhoneNumber: string; readonly Message: string };
  constructor(input: PublishCommand['input']) {
    this.input = input;
  }
}

class MessageClient {
  send(command: SendEmailCommand | PublishCommand): Promise<object> {
    const { actors, holders, rights } = world();
    rights.ask(['codes: sends'], command.constructor.name);
    const [address = '', text] =
      command instanceof PublishCommand
        ? [command.input.PhoneNumber, command.input.Message]
        : [command.input.Destination.ToAddresses[0], command.input.Content.Simple.Body.Text.Data];
    return actors.step({ name: 'send code' }, () => holders.tell(address, text));
  }
}

export { MessageClient as SESv2Client, MessageClient as SNSClient };
