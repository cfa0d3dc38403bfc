/** A UUID in its lower-case form (RFC 9562 §4). */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reports whether the text is a UUID in its lower-case form, as the CRDs' pattern requires. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
