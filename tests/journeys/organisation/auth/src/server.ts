import express from 'express';
import { SessionService } from './sessions';

const app = express();
const sessions = new SessionService();

app.post('/sessions', (request, response) => {
  const token = sessions.open(request.body.email, request.body.password, request.body.hash);
  response.json({ token });
});
