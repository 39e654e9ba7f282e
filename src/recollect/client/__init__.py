"""A typed client for the HTTP service, with the library's verbs, values and errors. Needs the extra `client`."""

from recollect.client.blocking import BlockingClient as BlockingClient
from recollect.client.client import Client as Client
