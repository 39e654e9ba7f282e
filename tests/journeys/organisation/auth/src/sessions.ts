import { checkPassword } from './passwords';

export class SessionExpired extends Error {}

/** Opens and renews sessions. */
export class SessionService {
  open(email: string, plain: string, hashed: string): string {
    if (!checkPassword(plain, hashed)) {
      throw new Error('wrong password');
    }
    return this.sign(email);
  }

  sign(email: string): string {
    return `token-${email}`;
  }
}
