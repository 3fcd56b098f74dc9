"""A walk that is to read what it made must make something: what chance never hits gets values that are taken."""

REQUESTS = ("Request", "Input")


def narrow(raw_schema, values):
    """Fields and parameters of these names, and these schemas, have the given values alone, in requests."""
    schemas = raw_schema["components"]["schemas"]
    for name, schema in schemas.items():
        if name in values["schemas"]:
            schemas[name] = {"enum": values["schemas"][name]}
        elif name.endswith(REQUESTS):
            narrow_fields(schema.get("properties", {}), values["fields"])
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            operation["parameters"] = [
                narrow_parameter(one, values["fields"])
                for one in operation.get("parameters", [])
                if one.get("name") not in values["withheld"]
            ]


def narrow_fields(properties, fields):
    for name in properties:
        if name in fields:
            properties[name] = {"enum": fields[name]}


def narrow_parameter(parameter, fields):
    name = parameter.get("name")
    return {**parameter, "schema": {"enum": fields[name]}} if name in fields else parameter
