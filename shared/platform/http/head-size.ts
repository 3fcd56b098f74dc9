/**
 * The largest head of an answer that the service takes, bytes. Node reads 16 KiB unless told otherwise: frameworks and
 * gateways that set many cookies exceed it, and their 2xx counts.
 */
export const maxHeadBytes = 256 * 1024;
