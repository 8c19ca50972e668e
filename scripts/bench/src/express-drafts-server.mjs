// The three writes as anybody would begin them: Express and one pg pool.
import express from 'express';
import { openBareDrafts } from './bare-drafts.ts';

const drafts = await openBareDrafts(process.env.DATABASE_URL ?? '');
const app = express();
app.use(express.json());

/** @param {(request: express.Request) => Promise<readonly [number, unknown]>} write */
const answering = (write) => async (request, response) => {
  const [status, body] = await write(request);
  response.status(status).json(body);
};

app.get('/readyz', (_request, response) => response.json({}));
app.post(
  '/payments/drafts/approve',
  answering(({ body }) => drafts.approve(body)),
);
app.post(
  '/payments/drafts/:paymentType',
  answering(({ body }) => drafts.create(body)),
);
app.patch(
  '/payments/drafts/:paymentType/:draftId',
  answering(({ params, body }) => drafts.patch(params.draftId, body)),
);
app.listen(Number(process.env.PORT), '127.0.0.1');
