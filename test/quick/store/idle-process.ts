import { openStore } from '../../../gateway/store/store.ts';

const store = await openStore(String(process.argv[2]));
await store.db.insertInto('setting').values({ key: 'a', value: '1' }).execute();
process.disconnect();
