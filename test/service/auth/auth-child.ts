/** A process that stores keys. Arguments: state root, prefix, how many. */
import { AuthStore } from '../../../src/service/auth/auth-store.ts';

const [, , stateRoot = '', prefix = '', count = '0'] = process.argv;
const store = new AuthStore(stateRoot);
for (let index = 0; index < Number(count); index += 1) {
  const change = await store.setKey(`${prefix}-${index}`, `key-${prefix}-${index}`);
  if (!change.ok) throw new Error(change.reason);
}
