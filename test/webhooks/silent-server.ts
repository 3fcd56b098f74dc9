import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A name server that gets questions and never answers, unless `answerOf` does; the address of it. */
export async function silentServer(buildAnswer?: (question: Buffer) => Buffer) {
  const socket = createSocket('udp4');
  let questions = 0;
  socket.on('message', (question, { port, address }) => {
    questions += 1;
    if (buildAnswer !== undefined) socket.send(buildAnswer(question), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port }: AddressInfo = socket.address();
  return {
    address: `127.0.0.1:${String(port)}`,
    asked: () => questions,
    [Symbol.dispose]: (): void => {
      socket.close();
    },
  };
}
