/**
 * The maximum of bytes that the service accepts as headers of a response. The default of Node is 16 KiB. Frameworks and
 * gateways that set many cookies exceed it, and their 2xx must still count as delivered.
 */
export const maxHeadBytes = 256 * 1024;
