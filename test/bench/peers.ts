const how = 'end to end, 2 000 events to a receiver on the same machine, built from source, two quiet cores';

/** What others deliver in a second, measured elsewhere and not by this bench. */
export const peers: readonly { readonly name: string; readonly perSecond: number; readonly how: string }[] = [
  { name: 'Outpost, as it comes', perSecond: 528, how },
  { name: 'Outpost, 50 at once', perSecond: 1168, how },
  { name: 'Svix, slowest', perSecond: 840, how },
  { name: 'Svix, fastest', perSecond: 980, how },
  { name: 'Signed POSTs alone', perSecond: 9800, how: 'no table, no queue; the same two quiet cores' },
];
