/** Sessions, turns, operations, sign-ins, settings: each script against magi-code 0.80.2 and against our service. */
import { suite } from './suite.ts';
import { CONVERSATIONS } from './topics.ts';

for (const topic of CONVERSATIONS) suite(topic);
