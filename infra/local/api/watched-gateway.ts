import type { Exchange } from '#infra/console/server/requests.ts';
import type { Gateway } from './gateway.ts';
import { headerOf } from './gateway-request.ts';

/** A gateway whose exchanges somebody gets to see, once each is answered. */
export function watchGateway(gateway: Gateway, see: (exchange: Exchange) => void): Gateway {
  return {
    ...gateway,
    handle: async (request) => {
      const answer = await gateway.handle(request);
      const { at, method, path, query, body } = request;
      const search = new URLSearchParams(
        Object.entries(query).flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
      ).toString();
      const id = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === 'x-request-id')?.[1];
      see({
        at: at.getTime(),
        durationMs: Date.now() - at.getTime(),
        method,
        path: search === '' ? path : `${path}?${search}`,
        userAgent: headerOf(request, 'user-agent'),
        status: answer.status,
        requestId: [id].flat().at(0),
        sent: body.toString('utf8'),
        answered: answer.body.toString('utf8'),
      });
      return answer;
    },
  };
}
