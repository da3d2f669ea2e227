/** What a record is and whether it is taken: each script against magi-code 0.80.2 and against our service. */
import { suite } from './suite.ts';
import { RECORDS } from './topics.ts';

for (const topic of RECORDS) suite(topic);
