# Addresses and credentials of the first company of the local environment, for the samples: `. docs/samples/environment.sh`.
# Elsewhere you were given these values: set the same variables from your own vault of secrets.

sandbox() { node -p "JSON.parse(require('fs').readFileSync(process.env.SANDBOX || '.local/sandbox.json')).$1"; }

if sandbox baseUrl >/dev/null 2>&1; then
  BASE_URL=$(sandbox baseUrl)
  TOKEN_URL=$(sandbox tokenUrl)
  SCOPE=$(sandbox scope)
  CLIENT_ID=$(sandbox 'companies[0].clientId')
  CLIENT_SECRET=$(sandbox 'companies[0].clientSecret')
  ACCOUNT_ID=$(sandbox 'companies[0].accounts[0].id')
  WEBHOOK_SECRET=$(sandbox 'companies[0].webhookSecret')
  export BASE_URL TOKEN_URL SCOPE CLIENT_ID CLIENT_SECRET ACCOUNT_ID WEBHOOK_SECRET
else
  echo "There is no ${SANDBOX:-.local/sandbox.json}. Begin with npm start, in another terminal and in this folder." >&2
  false
fi
