const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
/** The maximum of escapes: descriptions of payers need a few, and JSON of a bank never needs more. */
const mostEscapes = 10_000;
/** Characters allowed after a backslash inside a string (RFC 8259, 7). */
const escaped = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/u;

/**
 * Reads the JSON of a bank. A payer's text can make it malformed: a raw control character or a stray backslash inside a
 * string is escaped and the JSON read again. Undefined for any other malformed text.
 */
export function bankJson(text: string): unknown {
  return parsed(text) ?? parsed(withEscapes(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Escapes characters inside strings that JSON does not allow there. Linear: reads each character once. */
function withEscapes(text: string): string {
  const parts: string[] = [];
  let from = 0;
  let isInside = false;
  for (let at = 0; at < text.length && parts.length <= 2 * mostEscapes; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) isInside = !isInside;
    else if (isInside && code === backslash) {
      if (escaped.test(text.slice(at + 1, at + 6))) at += 1;
      else {
        parts.push(text.slice(from, at), '\\\\');
        from = at + 1;
      }
    } else if (isInside && code < firstPrintable) {
      parts.push(text.slice(from, at), `\\u${code.toString(16).padStart(4, '0')}`);
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)].join('');
}
